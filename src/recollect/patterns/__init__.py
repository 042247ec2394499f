"""Which regular expressions of users are safe to run?"""
