"""Links of networks that classify photographs."""
