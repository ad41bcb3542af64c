/** Copies a short text into its own memory, because a slice keeps its whole source alive. */
export const flatText = (text: string): string => {
  const units: number[] = [];
  for (let index = 0; index < text.length; index += 1) units.push(text.charCodeAt(index));
  return String.fromCharCode(...units);
};
