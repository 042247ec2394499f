"""What is going on?"""
