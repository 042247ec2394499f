"""What leads to what?"""
