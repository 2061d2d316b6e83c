"""The vocabulary: people and comparisons."""

from typing import Literal, NamedTuple

Dimension = Literal["height", "age", "speed", "strength", "wealth", "volume", "tidiness", "luck"]


class Words(NamedTuple):
    """Words for more, less, the most and the least of a dimension."""

    more: str
    less: str
    most: str
    least: str


WORDS: dict[Dimension, Words] = {
    "height": Words("taller", "shorter", "tallest", "shortest"),
    "age": Words("older", "younger", "oldest", "youngest"),
    "speed": Words("faster", "slower", "fastest", "slowest"),
    "strength": Words("stronger", "weaker", "strongest", "weakest"),
    "wealth": Words("richer", "poorer", "richest", "poorest"),
    "volume": Words("louder", "quieter", "loudest", "quietest"),
    "tidiness": Words("tidier", "messier", "tidiest", "messiest"),
    "luck": Words("luckier", "unluckier", "luckiest", "unluckiest"),
}

NAMES = tuple(
    """
    Abena Aisha Akira Alejandro Amara Anders Anika Arjun Astrid Beatriz Bilal Bruno Carmen Chidi
    Chloe Daan Delphine Diego Elif Emeka Esther Farid Fatima Felix Freya Giulia Goran Hana Hassan
    Helena Hiroshi Ines Ingrid Isaac Jamal Jana Joaquin Kavya Keiko Kwame Lars Leila Linh Lucia
    Magnus Mariam Mateo Mei Nadia Nikhil Noor Olga Omar Oscar Paloma Petra Priya Quentin Rafael
    Rashid Rosa Ruben Sakura Samir Selma Sven Tariq Tessa Thandi Tomas Uma Valentina Viktor Wanda
    Wei Ximena Yara Yusuf Zainab Zoltan
    """.split()
)
