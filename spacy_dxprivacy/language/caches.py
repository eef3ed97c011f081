"""Caches of keys and values that grow in place. transformers copies the whole of a cache for every
token, which takes a quarter of the time where 64 lanes have read 100 tokens each. Imported when a
model is opened."""

from __future__ import annotations

from importlib import import_module
from typing import Any

torch: Any = import_module("torch")
_caches: Any = import_module("transformers.cache_utils")
_Layer: Any = getattr(_caches, "DynamicLayer", None)  # since transformers 4.54

ROOM = 64  # tokens that are made room for at once


def new_cache() -> Any:
    """An empty cache of the transformers library; one that grows in place where it has parts."""
    if _Layer is None:
        return _caches.DynamicCache()
    return _caches.Cache(layer_class_to_replicate=GrowingLayer)


if _Layer is not None:

    class GrowingLayer(_Layer):  # type: ignore[misc]
        """One layer. keys and values: what was read, (lanes, heads, tokens, width), the beginning
        of larger tensors as long as nobody else puts others in their place."""

        keys: Any
        values: Any
        _room: tuple[Any, Any] | None = None

        def update(self, key_states: Any, value_states: Any, *more: Any, **how: Any) -> Any:
            if not self.is_initialized:
                self.lazy_initialization(key_states, value_states)
            if not self.keys.numel():
                self.keys, self.values = key_states[:, :, :0], value_states[:, :, :0]
            old = self.keys.shape[2]
            end = old + key_states.shape[2]
            if not self._has_room(end):
                self._room = _roomy(self.keys, end), _roomy(self.values, end)
            keys, values = self._room or (self.keys, self.values)
            keys[:, :, old:end], values[:, :, old:end] = key_states, value_states
            self.keys, self.values = keys[:, :, :end], values[:, :, :end]
            return self.keys, self.values

        def _has_room(self, end: int) -> bool:
            """Whether there is room behind what is there now: lanes may have been chosen anew."""
            if self._room is None:
                return False
            keys, _ = self._room
            is_ours = keys.data_ptr() == self.keys.data_ptr() and len(keys) == len(self.keys)
            return bool(is_ours and keys.shape[2] >= end)


def _roomy(old: Any, end: int) -> Any:
    """With room for ROOM more tokens than `end`."""
    lanes, heads, tokens, width = old.shape
    new = old.new_empty((lanes, heads, end + ROOM, width))
    new[:, :, :tokens] = old
    return new
