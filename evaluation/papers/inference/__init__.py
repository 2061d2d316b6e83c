"""Does one relation imply another, in context: methods, precision-recall curves and reports."""
