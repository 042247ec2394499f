"""The page: what a person sees of the memory and does about it, in a browser on this machine."""
