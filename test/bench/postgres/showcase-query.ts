/** Groups down to files, as `bench:graphql` and `bench:postgres` measure it. */
export const SHOWCASE = `query Showcase($groups: Int!) { groups(first: $groups) { totalCount nodes { name
  logicalNumbers(first: 20) { totalCount nodes { number
    appVersions(first: 5) { nodes { number app { name }
      files(first: 3) { nodes { name crc size } } } } } } } } }`;
