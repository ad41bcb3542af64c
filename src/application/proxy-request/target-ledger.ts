/** What has happened to one target since the program started. Kept across reloads for targets that stay. */
export interface TargetLedger {
  totalRequests: number;
  failedRequests: number;
}

export const newLedger = (): TargetLedger => ({ totalRequests: 0, failedRequests: 0 });
