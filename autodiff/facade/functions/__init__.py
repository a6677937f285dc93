"""Operations that users write themselves, of the new style and of the old one."""
