"""What is done with special messages in a window: inserting, answering, and their source."""
