"""Where do things live? The adapters of the ports: files now, databases as they are needed."""
