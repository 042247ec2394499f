"""What is wrong, and how is it mended?

`checks` looks and says; `mend` does what is safe. Nothing here deletes a memory or changes what one
says.
"""
