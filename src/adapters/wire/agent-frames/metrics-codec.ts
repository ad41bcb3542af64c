import type { MetricsReport, ReportedHistogram, ReportedValue } from '../../../domain/agent-protocol/metrics-report.js';
import { isJsonObject, type JsonObject } from '../../../domain/shared/json.js';
import { readNumber, readOptionalArray, readOptionalText, readOptionalTextRecord, readText } from './json-fields.js';
import { MalformedMessage } from './malformed-message.js';

type Bucket = ReportedHistogram['buckets'][number];

/** JSON has no infinity. */
const infinity = '+Inf';

export const metricsJson = (report: MetricsReport): string =>
  JSON.stringify({
    agent_id: report.agentId,
    timestamp_ms: report.timestampMs,
    interval_ms: report.intervalMs,
    counters: report.counters,
    gauges: report.gauges,
    histograms: report.histograms.map((histogram) => ({
      ...histogram,
      buckets: histogram.buckets.map(({ le, count }) => ({
        le: le === Number.POSITIVE_INFINITY ? infinity : le,
        count,
      })),
    })),
  });

const readObjects = <Value>(object: JsonObject, name: string, read: (item: JsonObject) => Value): readonly Value[] =>
  readOptionalArray(object, name).map((item) => {
    if (!isJsonObject(item)) throw new MalformedMessage(`"${name}" holds no objects`);
    return read(item);
  });

const readValue = (value: JsonObject): ReportedValue => ({
  name: readText(value, 'name'),
  help: readOptionalText(value, 'help'),
  labels: readOptionalTextRecord(value, 'labels'),
  value: readNumber(value, 'value'),
});

const readBucket = (bucket: JsonObject): Bucket => ({
  le: bucket['le'] === infinity ? Number.POSITIVE_INFINITY : readNumber(bucket, 'le'),
  count: readNumber(bucket, 'count'),
});

const readHistogram = (histogram: JsonObject): ReportedHistogram => ({
  name: readText(histogram, 'name'),
  help: readOptionalText(histogram, 'help'),
  labels: readOptionalTextRecord(histogram, 'labels'),
  sum: readNumber(histogram, 'sum'),
  count: readNumber(histogram, 'count'),
  buckets: readObjects(histogram, 'buckets', readBucket),
});

export const readMetrics = (object: JsonObject): MetricsReport => ({
  agentId: readText(object, 'agent_id'),
  timestampMs: readNumber(object, 'timestamp_ms'),
  intervalMs: readNumber(object, 'interval_ms'),
  counters: readObjects(object, 'counters', readValue),
  gauges: readObjects(object, 'gauges', readValue),
  histograms: readObjects(object, 'histograms', readHistogram),
});
