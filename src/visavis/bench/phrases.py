"""What the users of the bench say."""

from __future__ import annotations

QUESTIONS = (
    "What is the capital of France?",
    "How many days are there in a week?",
    "What colour is the sky?",
    "Who wrote Romeo and Juliet?",
    "What is the largest ocean on Earth?",
    "Can you tell me a short joke?",
    "Where do penguins live?",
    "Why is the grass green?",
    "What do bees make?",
    "How far away is the moon?",
    "What is your favourite season?",
    "Which planet is the biggest?",
    "What is the opposite of hot?",
    "How many legs does a spider have?",
    "What is a good name for a cat?",
    "What language do people speak in Brazil?",
    "How long does it take to boil an egg?",
    "Is a tomato a fruit or a vegetable?",
    "What is the tallest mountain in the world?",
    "How do birds fly?",
    "What time does the sun rise in summer?",
    "Please name three kinds of fruit.",
    "What is bread made of?",
    "How can I sleep better at night?",
    "What is the fastest animal on land?",
    "Do you know a good song?",
    "What is the weather like in winter?",
    "How old is the Earth?",
    "Tell me something about horses.",
    "What should I cook for dinner tonight?",
)

PAUSED = (
    ("I would like to know", "how far away the moon is."),
    ("Can you tell me", "what the capital of France is?"),
    ("What is the best way to", "learn how to play the piano?"),
    ("My sister and her husband", "are coming to visit us on Sunday."),
    ("I was thinking about", "going to the sea next week."),
    ("If it rains tomorrow", "what should we do with the children?"),
    ("Please remind me to", "call the dentist about", "my tooth on Monday."),
    ("The book that I bought", "is about the history of", "the Roman empire."),
    ("How many people", "live in the city of London?"),
    ("I need a recipe for", "a soup with carrots and", "maybe a little ginger."),
    ("We are looking for a", "good place to eat with my parents."),
    ("Could you please explain", "why the sky is blue?"),
)

NUMBERS = (
    ("My number is four one five", "five five five", "two six seven one."),
    ("The code is seven three", "nine one", "four four."),
    ("Call zero two zero", "seven nine four six", "zero one eight two."),
    ("It is card number four five two", "eight eight one", "three zero nine."),
    ("The order is number one two", "six six", "eight five."),
    ("My post code is nine eight", "one zero five."),
)

FILLED = (
    ("What is um", "the biggest uh", "animal in the world?"),
    ("I want to go to Rome no", "I mean to Paris on Friday."),
    ("Can you uh", "can you tell me the time in Tokyo?"),
    ("So um", "what do bees make?"),
    ("I think it was on Monday or", "no wait it was on Tuesday."),
    ("How do I you know", "get a stain out of a shirt?"),
)

STORIES = tuple(
    f"Tell me a very long story about {theme}."
    for theme in ("a fox", "the sea", "an old king", "a lost dog", "the moon", "two friends")
)

CUTS = (
    "Stop.",
    "Wait, no.",
    "No, that is not what I meant.",
    "Hold on a moment, please.",
    "Actually, how old are you?",
    "Okay, but what happens at the end?",
    "Stop it, please.",
    "Tell me about something else.",
)

HUSHES = ("Stop.", "Wait, no.", "Hold on a moment, please.", "Stop it, please.")
"""Of these, those that ask for silence and for nothing else."""

BACKCHANNELS = ("mm-hm", "Uh-huh.", "Right.", "Yeah.", "Okay, okay.", "I see.")
HUMMED = ("mm-hm",)

ASIDES = (
    "Put the kettle on, would you?",
    "No, it is on the kitchen table.",
    "I will be there in a minute.",
    "Can you close the door behind you?",
)

BEHIND = (
    "The train was late again this morning.",
    "Did you see the game last night?",
    "I told her that we could not come on Saturday.",
    "They have painted the whole house in yellow.",
    "He never puts anything back where it belongs.",
    "We should have left an hour ago.",
)

CHINESE = ("你好，你叫什么名字？", "法国的首都是哪里？", "一个星期有几天？", "请讲一个笑话。")
