/** What the command line of `gateway` asks for. */
export type GatewayCommand =
  /** Run the gateway. */
  | { readonly kind: 'run'; readonly configFile: string; readonly verbose: boolean }
  /** `--test`: load everything and report. */
  | { readonly kind: 'test'; readonly configFile: string; readonly verbose: boolean }
  /** `--validate` and `config check`: what `test` does, and resolve what the file refers to. */
  | { readonly kind: 'validate'; readonly configFile: string; readonly verbose: boolean }
  /** Nothing to do but to say this: help and version on the standard output, wrong usage on the other. */
  | { readonly kind: 'say'; readonly text: string; readonly exitCode: 0 | 2 };
