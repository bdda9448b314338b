import { graphql } from '../../api/graphql';

/** Deletes a logical number with its parameters and metacontents. */
export const NUMBER_DELETE = graphql(`
  mutation LogicalNumberDelete($id: ID!, $ifMatch: Int) {
    logicalNumberDelete(id: $id, ifMatch: $ifMatch) { userErrors { code message path rule params } }
  }
`);
