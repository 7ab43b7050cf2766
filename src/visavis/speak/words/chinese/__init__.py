"""Chinese: numbers, quantities, the calendar and signs in words."""
