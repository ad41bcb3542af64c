/** Metrics as a text exposition. */
export interface MetricsPage {
  readonly contentType: string;
  render(): Promise<string>;
}
