/** A call from one process to another, with its reply. Both are plain data. */
export interface WorkerCall<Question, Answer> {
  readonly name: string;
  /** Never set: makes the types distinct. */
  readonly types?: (question: Question) => Answer;
}

/** A message to another process that has no reply. */
export interface WorkerNotification<Body> {
  readonly name: string;
  readonly types?: (body: Body) => void;
}

export const topic = <Question, Answer>(name: string): WorkerCall<Question, Answer> => ({ name });

export const notice = <Body>(name: string): WorkerNotification<Body> => ({ name });
