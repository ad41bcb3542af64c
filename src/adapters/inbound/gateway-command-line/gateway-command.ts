/** What the command line of `gateway` asks for. */
export type GatewayCommand =
  /** Run the gateway. */
  | RunCommand
  /** `--test`: load everything and report. */
  | { readonly kind: 'test'; readonly configFile: string; readonly verbose: boolean }
  /** `--validate`: what `test` does, and resolve what the file refers to. */
  | { readonly kind: 'validate'; readonly configFile: string; readonly verbose: boolean }
  /** `config check`: what `validate` does, and say what is deprecated or unsafe. `strict`: a warning counts as an error. */
  | { readonly kind: 'check'; readonly configFile: string; readonly strict: boolean }
  /** `config migrate`: write the file as files are written now. */
  | { readonly kind: 'migrate'; readonly configFile: string; readonly output: MigrationOutput }
  /** `config print`: show the configuration with its defaults. */
  | { readonly kind: 'print'; readonly configFile: string; readonly format: 'kdl' | 'json' }
  /** `reload`: have the gateway that runs with this file load it again. */
  | { readonly kind: 'reload'; readonly configFile: string }
  /** Nothing to do but to say this: help and version on the standard output, wrong usage on the other. */
  | { readonly kind: 'say'; readonly text: string; readonly exitCode: 0 | 2 };

/** Where a migrated file goes. */
export type MigrationOutput =
  /** `force`: a file that is there is replaced. */
  | { readonly kind: 'file'; readonly path: string; readonly force: boolean }
  | { readonly kind: 'stdout' }
  /** Into the file itself, and those that it includes; what was there is kept beside each with `.bak` after its name. */
  | { readonly kind: 'in-place' }
  /** Nowhere: what would change is shown. */
  | { readonly kind: 'diff' };

export interface RunCommand {
  readonly kind: 'run';
  readonly configFile: string;
  readonly verbose: boolean;
  /** Where its process number is to be written; null: nowhere. */
  readonly pidFile: string | null;
  /** Takes the place of `worker-threads`; null: the configuration says it. */
  readonly workerThreads: number | null;
}
