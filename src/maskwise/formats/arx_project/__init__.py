"""Projects of ARX (`.deid`): a draft of a policy from what they ask.

A project is a zip file. `archive` reads its members without trusting what they
say of their size, `xml_elements` its descriptions without entities,
`definition` what the columns are, `privacy_models` what is asked, and `draft`
writes the policy. Objects of Java that a project holds are never looked at.
"""
