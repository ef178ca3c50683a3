"""batprotocol, the protocol of Batsim 5: its schema, binary and JSON codecs, translation and sessions.

::

    batprotocol.fbs ──idl, generate──▶ schema.py   one Struct per table
                                       _reader.py, _writer.py   on _reading.py and _writing.py
    bytes     ◀──binary.py──▶ schema Structs ◀──notices.py, decisions.py (forms.py)──▶ vocabulary
    JSON text ◀───text.py───▶
    session.py   a component behind a transport, for our engine
    server.py    our components, for the real Batsim (memory.py: what it told)
"""

__all__: list[str] = []
