"""Calls whose parameters stand in tags. Law: what a family calls its tags is data; one walk reads them all."""
