import type { JsonObject } from '../../../domain/shared/json.js';

/** A step of the request, in the order of the request path. */
export interface ExplainedStep {
  /** The name of the step: `rate-limit`, `agent`, `rewrite`, ... */
  readonly step: string;
  /** For people, one clause each. */
  readonly lines: readonly string[];
  /** For programs. */
  readonly data: JsonObject;
}

/** Why a route before the chosen one does not take the request. */
export interface ExplainedMiss {
  readonly route: string;
  /** By kind of match: the values of the route and that of the request. */
  readonly failed: readonly {
    readonly match: string;
    readonly wanted: readonly string[];
    readonly actual: string;
  }[];
}

/** What the gateway would do with a request. Holds no secrets. */
export interface Explanation {
  readonly request: {
    readonly method: string;
    readonly scheme: string;
    readonly host: string | null;
    /** Normalised. */
    readonly path: string;
    readonly client: string;
    readonly listener: string;
  };
  /** In matching order. */
  readonly passed: readonly ExplainedMiss[];
  /** Null: no route takes the request. */
  readonly route: { readonly id: string; readonly priority: number } | null;
  readonly steps: readonly ExplainedStep[];
  /** The gateway refuses the request; null: it does not, as far as the configuration decides. */
  readonly refusal: {
    readonly status: number;
    readonly code: string;
    readonly detail: string;
    /** What to change in the configuration; null: unknown. */
    readonly remedy: string | null;
  } | null;
}

/** Makes a step. Lines that are null are left out. */
export const step = (name: string, lines: readonly (string | null)[], data: JsonObject): ExplainedStep => ({
  step: name,
  lines: lines.filter((line) => line !== null),
  data,
});

export const quoted = (texts: readonly string[]): string => texts.map((text) => `"${text}"`).join(', ');

export const secondsText = (ms: number): string => `${ms / 1000} s`;
