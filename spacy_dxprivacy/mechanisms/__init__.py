"""The mechanisms, one file each; importing this package registers them."""

from . import clipped_laplace as clipped_laplace
from . import custext as custext
from . import diffractor as diffractor
from . import exponential as exponential
from . import gaussian as gaussian
from . import identity as identity
from . import jaccard as jaccard
from . import laplace as laplace
from . import mahalanobis as mahalanobis
from . import nadp as nadp
from . import path as path
from . import path_v2 as path_v2
from . import random_projection as random_projection
from . import santext_plus as santext_plus
from . import tem as tem
from . import truncated_gumbel as truncated_gumbel
from . import truncated_laplace as truncated_laplace
