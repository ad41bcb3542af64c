/** The current spelling of a key: hyphens and lower case. Older files contain underscores. */
export const currentKeyName = (name: string): string => name.toLowerCase().replaceAll('_', '-');
