export interface Option<Value extends string = string> {
  readonly value: Value;
  readonly label: string;
}

/** Options named by messages: `optionsOf(text, ['STANDARD', 'MODULE'])`. */
export const optionsOf = <const Values extends readonly string[]>(
  names: Readonly<Record<Values[number], string>>,
  values: Values,
): Option<Values[number]>[] => values.map((value: Values[number]) => ({ value, label: names[value] }));
