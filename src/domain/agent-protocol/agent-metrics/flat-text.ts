/**
 * The same text in memory of its own, for what is kept: a part of a larger text may hold on to the whole of it.
 * Of short texts only.
 */
export const flatText = (text: string): string => {
  const units: number[] = [];
  for (let index = 0; index < text.length; index += 1) units.push(text.charCodeAt(index));
  return String.fromCharCode(...units);
};
