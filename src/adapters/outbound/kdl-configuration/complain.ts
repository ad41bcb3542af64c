/** Reports what is wrong with a place of the text. */
export type Complain = (offset: number, message: string, suggestion?: string) => void;
