/** Metrics in a text exposition format. */
export interface MetricsPage {
  readonly contentType: string;
  render(): Promise<string>;
}
