/** Path of the file beside a database that says what has been acknowledged. */
export const markerOf = (file: string): string => `${file}.marker`;
