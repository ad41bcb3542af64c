/** How a target answers: `cutting` resets in the midst of a body, `refusing` takes no connection. */
const manners = ['well', 'failing', 'cutting', 'slow', 'refusing'] as const;

export type Manner = (typeof manners)[number];

export const isManner = (text: string): text is Manner => manners.some((manner) => manner === text);
