/** How many retries an upstream may have at the moment. */
export interface RetryBudget {
  /** Hundredths of a retry, so that percents add up exactly. */
  readonly hundredths: number;
}

const ofOneRetry = 100;

/** Retries that are there to begin with, so that an upstream with few requests can have some. */
export const reservedRetries = 10;

/** Retries that can be saved up: what a target that fails with that many requests in flight may cost at once. */
export const mostRetries = 500;

/** That of an upstream that has had no request yet. Where the percentage is 0 there is no retry at all. */
export const newRetryBudget = (percent: number): RetryBudget => ({
  hundredths: percent === 0 ? 0 : reservedRetries * ofOneRetry,
});

/**
 * A request is sent for the first time: it brings its part of a retry. Retries are never more than the reserve and
 * `percent` of a hundred requests.
 *
 * @param percent 0 to 100
 */
export const withRequest = (budget: RetryBudget, percent: number): RetryBudget => {
  const hundredths = Math.min(mostRetries * ofOneRetry, budget.hundredths + percent);
  return hundredths === budget.hundredths ? budget : { hundredths };
};

/** What is left after a retry; null: there is none to be had. */
export const takeRetry = (budget: RetryBudget): RetryBudget | null =>
  budget.hundredths < ofOneRetry ? null : { hundredths: budget.hundredths - ofOneRetry };
