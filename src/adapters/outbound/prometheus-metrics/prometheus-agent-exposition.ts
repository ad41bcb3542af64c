import type { Metric } from 'prom-client';
import type { MetricsPage } from '../../../application/ports/shared/metrics-page.js';
import type { MetricsReport, ReportedHistogram, ReportedValue } from '../../../domain/agent-protocol/metrics-report.js';
import { expositionContentType, registryText } from './exposition-text.js';
import { histogramSamples, liveMetric, type Sample } from './live-metric.js';

type Reported = ReportedValue | ReportedHistogram;

const samplesOf = (series: Reported): readonly Sample[] =>
  'value' in series
    ? [{ labels: series.labels, value: series.value }]
    : histogramSamples(series.name, series.labels, {
        sum: series.sum,
        buckets: series.buckets.map(({ le, count }) => ({ le: le === Number.POSITIVE_INFINITY ? '+Inf' : le, count })),
      });

/** An agent's report as a Prometheus page, under the agent's own names. */
export class PrometheusAgentExposition implements MetricsPage {
  readonly contentType = expositionContentType;
  readonly #report: () => MetricsReport;

  constructor(report: () => MetricsReport) {
    this.#report = report;
  }

  /** Families of the report; a series exists once its event has happened. */
  render(): Promise<string> {
    const metrics: Metric[] = [];
    const { counters, gauges, histograms } = this.#report();
    for (const [type, all] of [
      ['counter', counters],
      ['gauge', gauges],
      ['histogram', histograms],
    ] as const) {
      const families = new Map<string, Reported[]>();
      for (const series of all) {
        const family = families.get(series.name);
        if (family === undefined) families.set(series.name, [series]);
        else family.push(series);
      }
      for (const [name, family] of families) {
        const help = family.find((series) => series.help !== null)?.help ?? name;
        metrics.push(liveMetric({ name, type, help }, () => family.flatMap(samplesOf)));
      }
    }
    return registryText(metrics);
  }
}
