import { graphql } from '../gql/gql.js';

export const GroupCreate = graphql(`
  mutation ParityGroupCreate($input: GroupCreateInput!) {
    done: groupCreate(input: $input) {
      record: group {
        ...ParityGroup
      }
      userErrors {
        ...ParityProblem
      }
    }
  }
  fragment ParityGroup on Group {
    databaseId
    name
    updatedAt
    createdAt
    createdBy {
      databaseId
    }
    createdVia
  }
`);
export const GroupUpdate = graphql(`
  mutation ParityGroupUpdate($id: ID!, $input: GroupUpdateInput!) {
    done: groupUpdate(id: $id, input: $input) {
      record: group {
        ...ParityGroup
      }
      userErrors {
        ...ParityProblem
      }
    }
  }
`);
export const GroupDelete = graphql(`
  mutation ParityGroupDelete($id: ID!) {
    done: groupDelete(id: $id) {
      deletedId
      userErrors {
        ...ParityProblem
      }
    }
  }
`);
export const LogicalNumberCreate = graphql(`
  mutation ParityLogicalNumberCreate($input: LogicalNumberCreateInput!) {
    done: logicalNumberCreate(input: $input) {
      record: logicalNumber {
        ...ParityLogicalNumber
      }
      userErrors {
        ...ParityProblem
      }
    }
  }
  fragment ParityLogicalNumber on LogicalNumber {
    databaseId
    number
    group {
      databaseId
    }
    appVersions {
      nodes {
        databaseId
      }
    }
    updatedAt
    createdAt
    createdBy {
      databaseId
    }
    createdVia
  }
`);
export const LogicalNumberUpdate = graphql(`
  mutation ParityLogicalNumberUpdate($id: ID!, $input: LogicalNumberUpdateInput!) {
    done: logicalNumberUpdate(id: $id, input: $input) {
      record: logicalNumber {
        ...ParityLogicalNumber
      }
      userErrors {
        ...ParityProblem
      }
    }
  }
`);
export const LogicalNumberDelete = graphql(`
  mutation ParityLogicalNumberDelete($id: ID!) {
    done: logicalNumberDelete(id: $id) {
      deletedId
      userErrors {
        ...ParityProblem
      }
    }
  }
`);
export const DeviceCreate = graphql(`
  mutation ParityDeviceCreate($input: DeviceCreateInput!) {
    done: deviceCreate(input: $input) {
      record: device {
        ...ParityDevice
      }
      userErrors {
        ...ParityProblem
      }
    }
  }
  fragment ParityDevice on Device {
    databaseId
    serialNumber
    enabled
    logicalNumber {
      databaseId
    }
    meta
    frameworkVersion
    updatedAt
    createdAt
    createdBy {
      databaseId
    }
    createdVia
  }
`);
export const DeviceUpdate = graphql(`
  mutation ParityDeviceUpdate($id: ID!, $input: DeviceUpdateInput!) {
    done: deviceUpdate(id: $id, input: $input) {
      record: device {
        ...ParityDevice
      }
      userErrors {
        ...ParityProblem
      }
    }
  }
`);
export const DeviceDelete = graphql(`
  mutation ParityDeviceDelete($id: ID!) {
    done: deviceDelete(id: $id) {
      deletedId
      userErrors {
        ...ParityProblem
      }
    }
  }
`);
export const ParameterCreate = graphql(`
  mutation ParityParameterCreate($input: ParameterCreateInput!) {
    done: parameterCreate(input: $input) {
      record: parameter {
        ...ParityParameter
      }
      userErrors {
        ...ParityProblem
      }
    }
  }
  fragment ParityParameter on Parameter {
    databaseId
    key
    value
    description
    logicalNumber {
      databaseId
    }
    group {
      databaseId
    }
    updatedAt
    createdAt
    createdBy {
      databaseId
    }
    createdVia
  }
`);
export const ParameterUpdate = graphql(`
  mutation ParityParameterUpdate($id: ID!, $input: ParameterUpdateInput!) {
    done: parameterUpdate(id: $id, input: $input) {
      record: parameter {
        ...ParityParameter
      }
      userErrors {
        ...ParityProblem
      }
    }
  }
`);
export const ParameterDelete = graphql(`
  mutation ParityParameterDelete($id: ID!) {
    done: parameterDelete(id: $id) {
      deletedId
      userErrors {
        ...ParityProblem
      }
    }
  }
`);
export const MetacontentCreate = graphql(`
  mutation ParityMetacontentCreate($input: MetacontentCreateInput!) {
    done: metacontentCreate(input: $input) {
      record: metacontent {
        ...ParityMetacontent
      }
      userErrors {
        ...ParityProblem
      }
    }
  }
  fragment ParityMetacontent on Metacontent {
    databaseId
    key
    value
    logicalNumber {
      databaseId
    }
    group {
      databaseId
    }
    updatedAt
    createdAt
    createdBy {
      databaseId
    }
    createdVia
  }
`);
export const MetacontentUpdate = graphql(`
  mutation ParityMetacontentUpdate($id: ID!, $input: MetacontentUpdateInput!) {
    done: metacontentUpdate(id: $id, input: $input) {
      record: metacontent {
        ...ParityMetacontent
      }
      userErrors {
        ...ParityProblem
      }
    }
  }
`);
export const MetacontentDelete = graphql(`
  mutation ParityMetacontentDelete($id: ID!) {
    done: metacontentDelete(id: $id) {
      deletedId
      userErrors {
        ...ParityProblem
      }
    }
  }
`);
export const MetacontentRead = graphql(`
  query ParityMetacontent($id: ID!) {
    found: node(id: $id) {
      ...ParityMetacontent
    }
  }
`);
