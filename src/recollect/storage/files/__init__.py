"""Memories as files: one JSON file each in the memory root, and an inventory for people."""
