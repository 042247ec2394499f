"""What is going on? And, before anything of it is written: is there a secret in it?"""
