"""The sandbox as a tool of agent frameworks: one module for each, to be imported where the framework is installed."""
