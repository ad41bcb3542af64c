/** A configuration for which all is built and bound. It has to be committed or abandoned: no other is loaded until then. */
export interface PreparedReload {
  /** Brings it into force in one step that cannot fail. Does nothing where it was abandoned, also by the gateway's end. */
  commit(): void;
  /** Closes what was opened for it; what is in force stays. Does nothing after a commit. */
  abandon(): Promise<void>;
}

/** Does the first of two things, once. */
export const eitherOnce = (commit: () => void, abandon: () => Promise<void>, settled: () => void): PreparedReload => {
  let isSettled = false;
  const settle = (): boolean => {
    if (isSettled) return false;
    isSettled = true;
    return true;
  };
  return {
    commit() {
      if (!settle()) return;
      try {
        commit();
      } finally {
        settled();
      }
    },
    async abandon() {
      if (!settle()) return;
      try {
        await abandon();
      } finally {
        settled();
      }
    },
  };
};
