import { type Entry, getLocation } from '@bgotink/kdl';

/** Where an entry begins in its text: at its name, its type annotation, or its value. */
export const entryOffset = (entry: Entry): number => getLocation(entry)?.start.offset ?? 0;
