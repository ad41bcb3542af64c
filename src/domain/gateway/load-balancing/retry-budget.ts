/** The available retries of an upstream. */
export interface RetryBudget {
  /** In hundredths of a retry, so that percentages add up exactly. */
  readonly hundredths: number;
}

const ofOneRetry = 100;

/** Initial retries, so that an upstream with few requests has some. */
export const reservedRetries = 10;

/** Largest number of saved retries, for a target that fails with many requests in flight. */
export const mostRetries = 500;

/** The budget of a new upstream. With 0 percent there are no retries. */
export const newRetryBudget = (percent: number): RetryBudget => ({
  hundredths: percent === 0 ? 0 : reservedRetries * ofOneRetry,
});

/**
 * Adds the share of a first attempt. Retries never exceed the reserve plus `percent` per hundred requests.
 *
 * @param percent 0 to 100
 */
export const withRequest = (budget: RetryBudget, percent: number): RetryBudget => {
  const hundredths = Math.min(mostRetries * ofOneRetry, budget.hundredths + percent);
  return hundredths === budget.hundredths ? budget : { hundredths };
};

/** The budget after a retry; null: no retry is available. */
export const takeRetry = (budget: RetryBudget): RetryBudget | null =>
  budget.hundredths < ofOneRetry ? null : { hundredths: budget.hundredths - ofOneRetry };
