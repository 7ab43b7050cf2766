"""What is written in digits, signs and short forms, as the words that are said.

Takes text without marks. Gives the same in words, in English and Chinese; a number follows the
language around it. Any other language is left as it is: its voice reads its own numbers.
"""
