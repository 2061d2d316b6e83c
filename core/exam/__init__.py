"""Sealed exams: questions whose answers are fixed by a published digest, and stay secret."""
