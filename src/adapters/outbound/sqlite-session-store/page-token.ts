/** Where a page of a list ended: the moment of creation of its last session, and its row. */
export interface PagePlace {
  readonly createdMs: number;
  readonly id: number;
}

const token = /^([0-9]{1,15}):([0-9]{1,15})$/;

/** Before the first session of every list. */
export const listBegin: PagePlace = { createdMs: Number.MAX_SAFE_INTEGER, id: Number.MAX_SAFE_INTEGER };

export const pageToken = ({ createdMs, id }: PagePlace): string => `${createdMs}:${id}`;

/** Null: no list gave this. */
export const pagePlace = (text: string): PagePlace | null => {
  const match = token.exec(text);
  return match === null ? null : { createdMs: Number(match[1]), id: Number(match[2]) };
};
