import type { Secret } from '../../shared/secret.js';

/** Where the traces of requests go. */
export interface TracingConfiguration {
  /** Where spans are posted by OTLP over HTTP, as in `http://127.0.0.1:4318/v1/traces`. */
  readonly endpoint: string;
  /** Part of the requests that is traced, 0 to 1. */
  readonly sampleRatio: number;
  readonly serviceName: string;
  /** Header fields for the collector, as a key of its own. */
  readonly headers: readonly { readonly name: string; readonly value: Secret }[];
}
