"""English: numbers, quantities, the calendar, addresses, signs and abbreviations in words."""
