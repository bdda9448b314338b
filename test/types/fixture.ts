/**
 * A module that must compile, or must not: then each line at fault ends in `// error TS2339`, or, with a part of the
 * message, `// error TS2741: Property 'number'`. Its imports are resolved as if it stood in `test/types/`.
 */
export interface Fixture {
  /** Test name: what the compiler must do, for example `refuses a delete in a unit of work that reads`. */
  readonly name: string;
  readonly source: string;
}
