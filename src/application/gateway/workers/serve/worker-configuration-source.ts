import type { ConfigurationSource, LoadedConfiguration } from '../../../ports/gateway/configuration-source.js';

/** The configuration of a worker, from the texts that the supervisor has read. The supervisor logs their warnings. */
export class WorkerConfigurationSource implements ConfigurationSource {
  readonly #read: (texts: ReadonlyMap<string, string>) => ConfigurationSource;
  #texts: ReadonlyMap<string, string>;

  constructor(read: (texts: ReadonlyMap<string, string>) => ConfigurationSource, texts: ReadonlyMap<string, string>) {
    this.#read = read;
    this.#texts = texts;
  }

  /** Sets the texts for later loads. */
  setTexts(texts: ReadonlyMap<string, string>): void {
    this.#texts = texts;
  }

  async load(): Promise<LoadedConfiguration> {
    const loaded = await this.#read(this.#texts).load();
    return { ...loaded, problems: loaded.problems.filter(({ severity }) => severity === 'error') };
  }
}
