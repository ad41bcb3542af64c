/** A question that one process asks another, and what it is answered with. Both are plain data. */
export interface WorkerCall<Question, Answer> {
  readonly name: string;
  /** Never there: it tells types apart. */
  readonly types?: (question: Question) => Answer;
}

/** Something that one process tells another, which is not answered. */
export interface WorkerNotification<Body> {
  readonly name: string;
  readonly types?: (body: Body) => void;
}

export const topic = <Question, Answer>(name: string): WorkerCall<Question, Answer> => ({ name });

export const notice = <Body>(name: string): WorkerNotification<Body> => ({ name });
