// Replaces cosmiconfig in the bundle: finds no settings file.
export const cosmiconfigSync = () => ({ search: () => null });
