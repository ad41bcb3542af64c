/** Errors that nobody catches while `act` runs, which would end the program. */
export const uncaughtErrors = async (act: () => void | Promise<void>): Promise<readonly unknown[]> => {
  const listeners = process.listeners('uncaughtException');
  const errors: unknown[] = [];
  const note = (error: unknown): void => void errors.push(error);
  process.removeAllListeners('uncaughtException');
  process.on('uncaughtException', note);
  try {
    await act();
  } finally {
    process.off('uncaughtException', note);
    for (const listener of listeners) process.on('uncaughtException', listener);
  }
  return errors;
};
