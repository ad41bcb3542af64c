/** A proxy that is measured. */
export interface Contender {
  readonly name: string;
  /** What it runs as, for the report. */
  readonly describes: string;
  /** Null where it cannot run here; then the reason is in `missing`. */
  readonly missing: string | null;
  /** Starts it between a free port and the upstream. */
  start(place: Place): Promise<RunningContender>;
}

/** Where a contender runs. */
export interface Place {
  /** An empty folder of its own. */
  readonly folder: string;
  readonly core: number;
  readonly upstreamPort: number;
}

export interface RunningContender {
  readonly port: number;
  /** Every process whose CPU time counts; their children count with them. */
  readonly pids: readonly number[];
  stop(): Promise<void>;
}
