/** A name as keys are spelt: hyphens and small letters. Older files have underscores here and there. */
export const currentKeyName = (name: string): string => name.toLowerCase().replaceAll('_', '-');
